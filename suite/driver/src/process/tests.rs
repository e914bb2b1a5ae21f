use super::table;

#[test]
fn the_table_of_ps_is_read_like_that_of_the_kernel() {
    let listed = table::parse_ps("    1     0     1 Ss\n   27     1    27 Z+\n  junk\n");
    let found: Vec<_> =
        listed.iter().map(|process| (process.pid, process.parent, process.group, process.zombie)).collect();
    assert_eq!(found, [(1, 0, 1, false), (27, 1, 27, true)]);
}

#[test]
fn this_process_is_in_the_table() {
    assert!(table::read().iter().any(|process| process.pid == std::process::id() && !process.zombie));
}
