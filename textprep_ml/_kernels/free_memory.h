/* Memory that was freed, but is kept for later by the allocator, back to the system, so that what comes next does not add to it. */
#ifndef TEXTPREP_FREE_MEMORY_H
#define TEXTPREP_FREE_MEMORY_H
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static inline void give_back_free_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
#endif
