//! The book of this build, as the build script wrote it: measured with the image, never read at run time.

include!(concat!(env!("OUT_DIR"), "/book.rs"));
