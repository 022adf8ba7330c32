/* What the words mean that options take, for help and the manual. */
#ifndef TFPROF_CLI_WORDS_H
#define TFPROF_CLI_WORDS_H

/* One phrase; NULL where the word says it all. */
const char *word_meaning(const char *flag, const char *word);

#endif
