#ifndef HALCYON_REFERENCE_PROCESSORS_H
#define HALCYON_REFERENCE_PROCESSORS_H

// Binds the calling thread to the processor with this number among those that the process may use, from 0. Returns 0,
// or -1 where there is none or the system refuses; the thread then runs where the system puts it.
int halcyon_stay_on_processor(int number);

#endif
