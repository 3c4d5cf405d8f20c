#ifndef HALCYON_REFERENCE_PROCESSES_H
#define HALCYON_REFERENCE_PROCESSES_H

// Makes this process the parent of what its descendants leave behind. Returns 0, or -1 and sets errno.
int halcyon_reference_adopt_descendants(void);

#endif
