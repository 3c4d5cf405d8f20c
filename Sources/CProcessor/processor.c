#include "processor.h"
