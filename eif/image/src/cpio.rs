//! Ramdisks: cpio archives in the "newc" form (Linux, Documentation/driver-api/early-userspace/buffer-format.rst), the same for
//! the same entries: owner root, time zero, inodes counted from 1.

use core::fmt;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'e> {
    /// A folder that everybody may read.
    Folder,
    /// A file.
    File {
        /// what is in it
        content: &'e [u8],
        /// whether it may be run
        is_program: bool,
    },
    /// A character device.
    Device {
        /// its driver
        major: u32,
        /// which of them
        minor: u32,
    },
}

/// Why an entry cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpioFault {
    /// A path is empty, begins or ends with a slash, or has an empty, `.` or `..` part or a zero byte.
    Path,
    /// A path does not come behind the one before it: paths are sorted, so that there is one archive of the same entries.
    Order,
    /// A path or content has no room in 32 bits.
    Size,
}

/// An archive that grows.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
    inodes: u32,
    last: Option<String>,
}

const MAGIC: &str = "070701";
const TRAILER: &str = "TRAILER!!!";

impl Archive {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry. Its folder must come before it, as paths that are sorted do.
    ///
    /// # Errors
    /// [`CpioFault`].
    pub fn add(&mut self, path: &str, entry: Entry<'_>) -> Result<(), CpioFault> {
        let is_part = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
        if !path.split('/').all(is_part) {
            return Err(CpioFault::Path);
        }
        if self.last.as_deref().is_some_and(|last| last >= path) {
            return Err(CpioFault::Order);
        }
        self.inodes = self.inodes.checked_add(1).ok_or(CpioFault::Size)?;
        let (mode, content, device) = match entry {
            Entry::Folder => (0o040_755, &[][..], (0, 0)),
            Entry::File { content, is_program: true } => (0o100_755, content, (0, 0)),
            Entry::File { content, is_program: false } => (0o100_644, content, (0, 0)),
            Entry::Device { major, minor } => (0o020_600, &[][..], (major, minor)),
        };
        self.write(self.inodes, mode, path, content, device)?;
        self.last = Some(path.to_owned());
        Ok(())
    }

    /// The archive's bytes.
    ///
    /// # Errors
    /// [`CpioFault::Size`]; none for a trailer.
    pub fn finish(mut self) -> Result<Vec<u8>, CpioFault> {
        self.write(0, 0, TRAILER, &[], (0, 0))?;
        Ok(self.bytes)
    }

    fn write(
        &mut self,
        inode: u32,
        mode: u32,
        name: &str,
        content: &[u8],
        device: (u32, u32),
    ) -> Result<(), CpioFault> {
        let size = u32::try_from(content.len()).map_err(|_| CpioFault::Size)?;
        let name_size =
            u32::try_from(name.len()).ok().and_then(|size| size.checked_add(1)).ok_or(CpioFault::Size)?;
        let (major, minor) = device;
        // inode, mode, owner, group, links, time, size, device it lies on (2), device it is (2), size of the name, checksum
        let fields = [inode, mode, 0, 0, 1, 0, size, 0, 0, major, minor, name_size, 0];
        self.bytes.extend_from_slice(MAGIC.as_bytes());
        for field in fields {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend_from_slice(content);
        self.align();
        Ok(())
    }

    /// Names and contents end at multiples of four.
    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

impl fmt::Display for CpioFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "not a relative path of plain parts",
            Self::Order => "paths are to be added in order, each once",
            Self::Size => "larger than 32 bits can say",
        })
    }
}

impl core::error::Error for CpioFault {}
