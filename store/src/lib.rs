//! Runs kept: the journal is the truth, the SQL index beside it can be rebuilt.
