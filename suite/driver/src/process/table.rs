//! One look at the process table.

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
    pub zombie: bool,
    /// When it started, in the kernel's own unit: tells a process from a later one with the same id.
    pub started: u64,
}

/// All processes that can be seen.
#[cfg(target_os = "linux")]
pub fn read() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(process).collect()
}

/// One process; `None` when it is gone.
#[cfg(target_os = "linux")]
pub fn process(pid: u32) -> Option<Process> {
    parse_stat(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Whether the process was started with `name=value...` in its environment. False when that cannot be seen.
#[cfg(target_os = "linux")]
pub fn has_variable(pid: u32, name: &str, value: &str) -> bool {
    let wanted = format!("{name}={value}");
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|text| text.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()))
}

/// The command's name may hold blanks and parentheses, so fields are counted from the last `)`.
#[cfg(target_os = "linux")]
fn parse_stat(pid: u32, text: &str) -> Option<Process> {
    let fields: Vec<_> = text[text.rfind(')')? + 1..].split_ascii_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(not(target_os = "linux"))]
pub fn read() -> Vec<Process> {
    let listed = std::process::Command::new("ps").args(["-axo", "pid=,ppid=,pgid=,stat="]).output();
    listed.map(|output| parse_ps(&String::from_utf8_lossy(&output.stdout))).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
pub fn has_variable(_pid: u32, _name: &str, _value: &str) -> bool {
    false
}

/// The output of `ps -axo pid=,ppid=,pgid=,stat=`.
#[cfg(any(test, not(target_os = "linux")))]
pub fn parse_ps(text: &str) -> Vec<Process> {
    let number = |field: Option<&str>| field.and_then(|field| field.parse().ok());
    let line = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let (pid, parent, group) = (number(fields.next())?, number(fields.next())?, number(fields.next())?);
        Some(Process { pid, parent, group, zombie: fields.next()?.starts_with('Z'), started: 0 })
    };
    text.lines().filter_map(line).collect()
}
