#include "processes.h"

#include <sys/prctl.h>

int halcyon_reference_adopt_descendants(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }
