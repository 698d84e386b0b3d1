//! The control plane: phases, ramps, collection, watchdog.
