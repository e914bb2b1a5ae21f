use super::{CHECK, FILES};
use crate::tidy::Package;
use crate::tidy::tests::subject;

fn package(license: Option<&str>) -> Package {
    let license = license.map(str::to_owned);
    Package { name: "a".to_owned(), folder: "kernels/a".to_owned(), license, dependencies: Vec::new() }
}

#[test]
fn a_missing_file_a_wrong_text_and_a_silent_crate_are_found() {
    let mut complete = subject(FILES);
    complete.packages.push(package(Some("MIT OR Apache-2.0")));
    assert_eq!((CHECK.run)(&complete), []);

    assert_eq!((CHECK.run)(&subject(&FILES[..1])).len(), 1);
    assert_eq!((CHECK.run)(&subject(&[FILES[0], (FILES[1].0, "no licence")])).len(), 1);
    complete.packages.push(package(Some("MIT")));
    complete.packages.push(package(None));
    assert_eq!((CHECK.run)(&complete).len(), 2);
}
