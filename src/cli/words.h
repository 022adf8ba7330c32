/* Meanings of the words that options accept, for help and the manual page. */
#ifndef TFPROF_CLI_WORDS_H
#define TFPROF_CLI_WORDS_H

/* One phrase; NULL if the word explains itself. */
const char *word_meaning(const char *flag, const char *word);

#endif
