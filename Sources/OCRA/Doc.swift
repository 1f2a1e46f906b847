/// # OCRA, floor 2
///
/// Owns RFC 6287: suites, data inputs and answers. Values and arithmetic: no database, no clock, no state. Does not own
/// which suites phones are offered, nor attempts and blocks (Tiqr).
///
/// | file | what |
/// |---|---|
/// | `OCRAAlgorithm` | an answer, and whether one is right |
/// | `OCRASuite` | a suite, read strictly |
/// | `OCRAInput` `OCRAQuestion` | the data inputs and their fixed lengths |
/// | `OCRAHash` `OCRAError` | the hashes; what can be wrong |
