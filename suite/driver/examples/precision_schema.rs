//! Prints the JSON schema of the precision report: `cargo run -p driver --example precision_schema`.

fn main() {
    print!("{}", driver::precision::schema());
}
