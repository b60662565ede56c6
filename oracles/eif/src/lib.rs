//! Nothing: the tests are the package.
