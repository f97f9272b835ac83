//! The stand-in for an object store without the feature `object-store`: a value of [`Objects`] can't exist.

/// An object store; never made.
#[derive(Debug, Clone)]
pub(crate) enum Objects {}

/// An error of an object store; never made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObjectError {}

impl ObjectError {
    pub(crate) const fn is_about_content(&self) -> bool {
        match *self {}
    }
}

impl Objects {
    pub(crate) fn health(&self) -> Result<(), ObjectError> {
        match *self {}
    }

    pub(crate) async fn put(&self, _: Vec<(String, Vec<u8>)>) -> Result<(), ObjectError> {
        match *self {}
    }

    pub(crate) async fn get(&self, _: &str, _: u64) -> Result<Option<Vec<u8>>, ObjectError> {
        match *self {}
    }

    pub(crate) async fn delete(&self, _: Vec<String>) -> Result<(), ObjectError> {
        match *self {}
    }
}
