# The strings of tokens, one for all tokens that are the same short word; all but the making of new strings and of empty lists goes without the
# interpreter's lock (see shared_objects.h).

cdef extern from "shared_objects.h":
    void add_references(PyObject* object, Py_ssize_t count)
    object hidden_list(Py_ssize_t count)
    void show_list(object list)
    PyObject** items_of_row(PyObject* rows, Py_ssize_t k) nogil

cdef extern from *:
    """
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define FIRST_BYTES_ARE_LOW 1
    #else
    #define FIRST_BYTES_ARE_LOW 0
    #endif
    """
    const bint FIRST_BYTES_ARE_LOW

cdef enum:
    MOST_WORDS = 131072 # slots, of which three quarters are used; four megabytes
    KEY_BYTES = 15
    SCANNED = 262144    # characters that are scanned before their strings are made

cdef struct Word:       # a slot; free while `high` is 0
    uint64_t low
    uint64_t high
    PyObject* value
    uint64_t count      # of tokens in the texts at hand

cdef struct Fresh:      # a string to be made
    Py_ssize_t text
    Py_ssize_t start
    Py_ssize_t end
    uint32_t slot       # or NO_SLOT: of one token only
    PyObject* value

cdef const uint32_t NO_SLOT = 0xFFFFFFFFu


cdef inline void bytes_key(const Text* text, Py_ssize_t i, Py_ssize_t size, uint64_t* low, uint64_t* high) noexcept nogil:
    """Load `size` characters of a byte each, at most KEY_BYTES of them."""
    cdef const uint8_t* data = <const uint8_t*>text.data + i
    low[0] = high[0] = 0
    if text.length - i < 16 or not FIRST_BYTES_ARE_LOW:
        memcpy(low, data, min(size, 8))
        if size > 8:
            memcpy(high, data + 8, size - 8)
    elif size < 8:
        memcpy(low, data, 8)
        low[0] &= (<uint64_t>1 << (8 * size)) - 1
    else:
        memcpy(low, data, 8)
        memcpy(high, data + 8, 8)
        high[0] &= (<uint64_t>1 << (8 * (size - 8))) - 1


cdef inline bint wide_key(const Char* data, Py_ssize_t size, uint64_t* low, uint64_t* high) noexcept nogil:
    """Load characters of a byte each that are stored in more; tell whether all are such."""
    cdef uint8_t bytes[16]
    cdef Py_ssize_t k
    cdef uint32_t seen = 0
    memset(bytes, 0, 16)
    for k in range(size):
        seen |= data[k]
        bytes[k] = <uint8_t>data[k]
    memcpy(low, bytes, 8)
    memcpy(high, bytes + 8, 8)
    return seen < 256


cdef inline bint word_key(const Text* text, Py_ssize_t i, Py_ssize_t j, uint64_t* low, uint64_t* high) noexcept nogil:
    """Give the key of a short ``text[i:j]``: its characters in as few bytes each as their text needs, how many bytes, and how wide."""
    cdef Py_ssize_t size = j - i
    cdef int kind = 1
    cdef bint is_narrow = True
    if size > KEY_BYTES:
        return False
    if text.kind == 1:
        bytes_key(text, i, size, low, high)
    elif text.kind == 2:
        is_narrow = wide_key(<const uint16_t*>text.data + i, size, low, high)
    else:
        is_narrow = wide_key(<const uint32_t*>text.data + i, size, low, high)
    if not is_narrow:
        kind = text.kind
        size *= kind
        if size > KEY_BYTES:
            return False
        low[0] = high[0] = 0
        memcpy(low, <const uint8_t*>text.data + i * kind, min(size, 8))
        if size > 8:
            memcpy(high, <const uint8_t*>text.data + i * kind + 8, size - 8)
    high[0] |= <uint64_t>(size | kind << 4) << 56
    return True


cdef class Strings:
    """What the tokens of many texts are called."""

    cdef Word* words
    cdef uint32_t mask
    cdef int shift
    cdef uint32_t used
    cdef uint32_t* touched      # slots with a count
    cdef uint32_t n_touched
    cdef Fresh* fresh
    cdef Py_ssize_t n_fresh
    cdef Py_ssize_t fresh_room
    cdef uint32_t* tokens       # slot, or mask + 1 + number of a fresh string
    cdef Py_ssize_t n_tokens
    cdef Py_ssize_t tokens_room

    def __cinit__(self, Py_ssize_t n_characters):
        cdef uint32_t slots = 64
        self.shift = 58
        while slots < MOST_WORDS and slots < n_characters // 4:
            slots *= 2
            self.shift -= 1
        self.mask = slots - 1
        self.words = <Word*>calloc(slots, sizeof(Word))
        self.touched = <uint32_t*>malloc(slots * sizeof(uint32_t))
        if self.words == NULL or self.touched == NULL:
            raise MemoryError

    def __dealloc__(self):
        self.drop_fresh()
        if self.words != NULL:
            self.forget()
        free(self.words)
        free(self.touched)
        free(self.fresh)
        free(self.tokens)

    cdef bint is_large(self) noexcept:
        """Tell whether it takes as many words as any."""
        return self.mask == MOST_WORDS - 1

    cdef void drop_fresh(self) noexcept:
        """Give up strings that came into no list."""
        cdef Py_ssize_t k
        for k in range(self.n_fresh):
            if self.fresh[k].slot == NO_SLOT:
                Py_XDECREF(self.fresh[k].value)
        self.n_fresh = 0

    cdef void forget(self) noexcept:
        cdef uint32_t k
        for k in range(self.mask + 1):
            Py_XDECREF(self.words[k].value)
        memset(self.words, 0, (self.mask + 1) * sizeof(Word))
        self.used = 0

    cdef int find_tokens(self, const Text* texts, Py_ssize_t first, Py_ssize_t last, const State* fresh, Py_ssize_t* ends) except -1 nogil:
        """Scan texts; `ends` has where the tokens of each end."""
        cdef Py_ssize_t buffer[2 * BATCH]
        cdef Py_ssize_t k, i, n
        cdef State st
        st.out, st.count = buffer, 0
        self.n_tokens = 0
        self.n_touched = 0
        for k in range(first, last):
            start_text(&st, fresh, texts[k].length)
            i = 0
            while i < st.n:
                st.count = 0
                i = scan_any(texts[k].kind, texts[k].data, &st, i, BATCH)
                self.tokens = <uint32_t*>room_for(self.tokens, &self.tokens_room, self.n_tokens + st.count, sizeof(uint32_t))
                self.fresh = <Fresh*>room_for(self.fresh, &self.fresh_room, self.n_fresh + st.count, sizeof(Fresh))
                for n in range(st.count):
                    self.tokens[self.n_tokens + n] = self.name(texts, k, buffer[2 * n], buffer[2 * n + 1])
                self.n_tokens += st.count
            ends[k - first] = self.n_tokens
        return 0

    cdef inline uint32_t name(self, const Text* texts, Py_ssize_t k, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Give the slot of a token, or a number of its own behind them."""
        cdef uint64_t low, high
        cdef uint32_t slot = NO_SLOT
        cdef Word* word
        cdef Fresh* made = self.fresh + self.n_fresh
        if word_key(texts + k, i, j, &low, &high):
            slot = <uint32_t>((low ^ high * <uint64_t>0x9E3779B97F4A7C15) * <uint64_t>0xD6E8FEB86659FD93 >> self.shift)
            word = self.words + slot
            while word.high and (word.low != low or word.high != high):
                slot = (slot + 1) & self.mask
                word = self.words + slot
            if word.high:
                if word.count == 0:
                    self.touched[self.n_touched] = slot
                    self.n_touched += 1
                word.count += 1
                return slot
            if self.used < self.mask - self.mask // 4:
                self.used += 1
                self.touched[self.n_touched] = slot
                self.n_touched += 1
                word.low, word.high, word.count = low, high, 1
            else:
                slot = NO_SLOT
        made.text, made.start, made.end, made.slot, made.value = k, i, j, slot, NULL
        self.n_fresh += 1
        return slot if slot != NO_SLOT else <uint32_t>(self.mask + self.n_fresh)

    cdef int add_rows(self, tuple texts, const Py_ssize_t* ends, Py_ssize_t n, list found) except -1:
        """Append a list of strings for each text whose tokens were found."""
        cdef Py_ssize_t k, start = 0
        cdef list rows = []
        self.make_strings(texts)
        for k in range(n):
            rows.append(hidden_list(ends[k] - start))
            start = ends[k]
        for k in range(self.n_touched):
            add_references(self.words[self.touched[k]].value, self.words[self.touched[k]].count)
            self.words[self.touched[k]].count = 0
        with nogil:
            start = 0
            for k in range(n):
                self.fill(items_of_row(<PyObject*>rows, k), start, ends[k])
                start = ends[k]
        if 4 * (self.n_fresh - self.n_touched) > self.n_tokens:
            self.forget()       # other words have become frequent
        self.n_fresh = 0
        for row in rows:
            show_list(row)
        found += rows
        return 0

    cdef int make_strings(self, tuple texts) except -1:
        cdef Py_ssize_t k
        cdef Fresh* made
        for k in range(self.n_fresh):
            made = self.fresh + k
            string = PyUnicode_Substring(texts[made.text], made.start, made.end)
            Py_INCREF(string)
            made.value = <PyObject*>string
            if made.slot != NO_SLOT:
                self.words[made.slot].value = made.value
        return 0

    cdef void fill(self, PyObject** items, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t k
        cdef uint32_t token
        for k in range(start, end):
            token = self.tokens[k]
            items[k - start] = self.words[token].value if token <= self.mask else self.fresh[token - self.mask - 1].value


cdef void* room_for(void* memory, Py_ssize_t* room, Py_ssize_t wanted, size_t each) except NULL nogil:
    """Enlarge an array, if it has not room for so many items."""
    if memory != NULL and wanted <= room[0]:
        return memory
    memory = realloc(memory, (2 * wanted + 1024) * each)
    if memory == NULL:
        with gil:
            raise MemoryError
    room[0] = 2 * wanted + 1024
    return memory
