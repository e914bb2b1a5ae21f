use super::*;
use crate::record::Body;
use std::fs;

fn scalar(bits: u32) -> Body {
    Body::Scalar { name: "loss".into(), bits: format!("{bits:08x}") }
}

fn write(directory: &Path, finish: bool) {
    let mut writer = TraceWriter::create(directory, 0).unwrap();
    for step in 0..3 {
        for value in 0..4 {
            writer.record(step, "forward", scalar(value)).unwrap();
        }
        writer.end_step(step).unwrap();
    }
    if finish {
        writer.finish(3).unwrap();
    }
}

fn open(directory: &Path, completeness: Completeness) -> Result<Vec<crate::record::Record>, TraceError> {
    TraceReader::open(directory, 0, completeness)?.records()
}

#[test]
fn a_trace_reads_back_as_it_was_written_and_equal_runs_write_equal_bytes() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(a.path(), true);
    write(b.path(), true);
    let records = open(a.path(), Completeness::Complete).unwrap();
    assert_eq!(records.len(), 13);
    assert!(records.iter().enumerate().all(|(index, record)| record.seq == index as u64));
    for path in [records_path, index_path] {
        assert_eq!(fs::read(path(a.path(), 0)).unwrap(), fs::read(path(b.path(), 0)).unwrap());
    }
}

#[test]
fn a_digest_is_blake3_or_sha256_and_says_which() {
    assert_eq!(
        digest::verify(b"abc", "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        Ok(true)
    );
    assert_eq!(digest::verify(b"abc", &digest::blake3(b"abc")), Ok(true));
    assert_eq!(digest::verify(b"abd", &digest::blake3(b"abc")), Ok(false));
    assert!(digest::verify(b"abc", "md5:900150983cd24fb0d6963f7d28e17f72").is_err());
    assert!(digest::verify(b"abc", blake3::hash(b"abc").to_hex().as_str()).is_err());
}

#[test]
fn a_trace_without_an_end_is_short_unless_the_run_was_killed() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), false);
    assert!(matches!(open(directory.path(), Completeness::Complete), Err(TraceError::Short { .. })));
    assert_eq!(open(directory.path(), Completeness::Killed).unwrap().len(), 12);
}

#[test]
fn a_torn_tail_of_a_killed_run_loses_only_the_torn_frame() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), false);
    let path = records_path(directory.path(), 0);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(open(directory.path(), Completeness::Killed).unwrap().len(), 8);
    assert!(open(directory.path(), Completeness::Complete).is_err());
}

#[test]
fn every_flipped_byte_of_the_records_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), true);
    let path = records_path(directory.path(), 0);
    let bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1;
        fs::write(&path, &altered).unwrap();
        assert!(open(directory.path(), Completeness::Complete).is_err(), "byte {at}");
    }
}

#[test]
fn a_missing_frame_a_newer_schema_and_an_empty_trace_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), true);
    let path = index_path(directory.path(), 0);
    let text = fs::read_to_string(&path).unwrap();
    let without_second: Vec<_> =
        text.lines().enumerate().filter(|(line, _)| *line != 1).map(|(_, line)| line).collect();
    fs::write(&path, without_second.join("\n")).unwrap();
    assert!(matches!(open(directory.path(), Completeness::Complete), Err(TraceError::Gap { .. })));
    fs::write(&path, text.replace("\"schema\":1", "\"schema\":2")).unwrap();
    assert!(matches!(open(directory.path(), Completeness::Complete), Err(TraceError::Schema { found: 2, .. })));
    let empty = tempfile::tempdir().unwrap();
    TraceWriter::create(empty.path(), 0).unwrap().finish(0).unwrap();
    assert!(matches!(open(empty.path(), Completeness::Complete), Err(TraceError::Empty { .. })));
}

#[test]
fn the_file_of_a_tensor_is_named_by_step_node_role_and_index_without_odd_characters() {
    assert_eq!(
        element_file(7, "layers/0/mlp:backward", Role::Out, 1, "d x"),
        "step-000007.layers_0_mlp_backward.out1.d_x.bin"
    );
}
