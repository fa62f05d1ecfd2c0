/* Lists of objects that are often the same, filled without the interpreter's lock.
 *
 * All that filling a list needs the lock for is the count of references of each item. So the items are counted first, without the lock; then
 * each distinct one is told at once, under the lock, how many lists will hold it; then the lists are filled, without the lock. Meanwhile
 * nobody can find a list, as the garbage collector does not know of it. */
#ifndef TEXTPREP_SHARED_OBJECTS_H
#define TEXTPREP_SHARED_OBJECTS_H
#include <Python.h>

/* Do what `count` calls of Py_INCREF do. */
static inline void add_references(PyObject *object, Py_ssize_t count) {
#ifdef Py_GIL_DISABLED
    for (; count > 0; count--) Py_INCREF(object);
#else
    Py_ssize_t before = Py_REFCNT(object);
    if (count <= 0) return;
    Py_INCREF(object);
    if (Py_REFCNT(object) != before) Py_SET_REFCNT(object, before + count); /* else it is immortal */
#endif
}

/* A list of `count` items, all of them to be set, that the garbage collector finds only after `show_list`; NULL with an error. */
static inline PyObject *hidden_list(Py_ssize_t count) {
    PyObject *list = PyList_New(count);
    if (list != NULL) PyObject_GC_UnTrack(list);
    return list;
}

static inline void show_list(PyObject *list) {
    PyObject_GC_Track(list);
}

/* Where the items of list number `k` of a list of lists are. */
static inline PyObject **items_of_row(PyObject *rows, Py_ssize_t k) {
    return ((PyListObject *)PyList_GET_ITEM(rows, k))->ob_item;
}
#endif
