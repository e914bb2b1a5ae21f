//! Prints the JSON schema of the report: `cargo run -p driver --example report_schema`.

fn main() {
    print!("{}", driver::report::schema());
}
