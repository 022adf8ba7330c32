/* Directories given as inputs: what makes one an input of some kind (see `claim` in
 * recognize.h). Each returns how many there are, 0 if none, and appends the path to read: a
 * file in it, or the directory itself where the loader looks for several files there. Nothing
 * is opened. On allocation failure the path has failed. */
#ifndef TFPROF_LOAD_DIRECTORY_H
#define TFPROF_LOAD_DIRECTORY_H

#include "base/buf.h"

/* The newest of profile_0, profile_100, …, as a ProfileContext writes them. */
size_t directory_find_profile(const char *directory, struct buf *path);

/* The directory, if it holds a file `checkpoint` or an index. */
size_t directory_find_checkpoint(const char *directory, struct buf *path);

/* The file saved_model.pb in it. */
size_t directory_find_saved_model(const char *directory, struct buf *path);

/* The call stacks that TensorFlow saves with a model, if they exist and are not empty:
 * debug/saved_model_debug_info.pb beside a SavedModel, model.debug beside model.meta. */
bool directory_find_debug_info(const char *model, struct buf *path);

/* Notes other files of a run next to the directory's checkpoint, by their usual names. */
void directory_note_others(const char *directory, struct buf *notes);

#endif
