//! The metadata section: JSON of a fixed form, with nothing that differs from build to build.

use serde::{Deserialize, Serialize};

/// What an image says of itself. Not measured: compare the policy hash with the attested one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Metadata {
    /// The image's name.
    pub image_name: String,
    /// Its version.
    pub image_version: String,
    /// How it was built.
    pub build_metadata: Build,
    /// Where Amazon's tool keeps what Docker said of the image.
    #[serde(default)]
    pub docker_info: Option<serde_json::Value>,
    /// The book.
    #[serde(default)]
    pub custom_metadata: Option<Policy>,
}

/// How an image was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Build {
    /// Always the Unix epoch here, so that two builds are the same.
    pub build_time: String,
    /// By what.
    pub build_tool: String,
    /// In which version.
    pub build_tool_version: String,
    /// For what.
    pub operating_system: String,
    /// With which kernel.
    pub kernel_version: String,
}

/// The book that is compiled into the image, for people and for comparisons. In the order of their names, as Amazon's tool
/// writes custom metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Its text.
    pub book: String,
    /// Its hash, 64 hexadecimal digits.
    pub policy_hash: String,
}

impl Metadata {
    /// Those of an image with a book.
    #[must_use]
    pub fn new(version: &str, kernel_version: &str, policy: Policy) -> Self {
        Self {
            image_name: "portcullis".to_owned(),
            image_version: version.to_owned(),
            build_metadata: Build {
                build_time: "1970-01-01T00:00:00+00:00".to_owned(),
                build_tool: "portcullis".to_owned(),
                build_tool_version: version.to_owned(),
                operating_system: "linux".to_owned(),
                kernel_version: kernel_version.to_owned(),
            },
            docker_info: None,
            custom_metadata: Some(policy),
        }
    }
}
