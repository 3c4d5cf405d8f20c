#include "CLibraryLoading.h"
