//! The f64 computation of `attention`: weights in 16 bits leave more room than steps cut off.

use crate::check::Oracle;
use crate::ops::attention;

pub fn oracle(kernel: &str) -> Option<Oracle> {
    attention::oracle(&kernel.replace("attention_tc16", "attention"))
}
