/* Large results in large pages: a page fault per 4 KB costs more than normalizing what fits into it. */
#ifndef TEXTPREP_HUGE_PAGES_H
#define TEXTPREP_HUGE_PAGES_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_FROM ((size_t)1 << 22)
#define HUGE_PAGE ((size_t)1 << 21)
#define TOUCHED_FROM ((size_t)1 << 16) /* small tables may stay empty */

/* Ask the system to back fresh memory with large pages, as NumPy does for its arrays; a wish, so failure does not matter. */
static inline void ask_for_huge_pages(void *start, size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t page = 4096;
    if (size >= HUGE_FROM) {
        uintptr_t first = ((uintptr_t)start + page - 1) & ~(page - 1);
        uintptr_t last = ((uintptr_t)start + size) & ~(page - 1);
        (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
    }
#else
    (void)start;
    (void)size;
#endif
}

/* Zeroed memory that begins with a large page if it is large, or NULL; `block` is what to free.
 *
 * Every page of it is written to at once. A page that is read before it is written is first lent from the system's page of zeros: a second
 * fault and a message to all other processors when it is written, which costs two threads more than their work on the page. */
static inline void *huge_zeros(size_t size, void **block) {
    uintptr_t start, at;
    *block = calloc(1, size < HUGE_FROM ? size : size + HUGE_PAGE);
    if (*block == NULL) return NULL;
    start = (uintptr_t)*block;
    if (size >= HUGE_FROM) {
        start = (start + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
        ask_for_huge_pages((void *)start, size);
    }
    for (at = TOUCHED_FROM; at < size; at += 4096) *(volatile char *)(start + at) = 0;
    return (void *)start;
}
#endif
