//! Prints the names of the workloads that are counted, in their order.

fn main() {
    bench::counted_workloads().for_each(|workload| println!("{}", workload.name));
}
