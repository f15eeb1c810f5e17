"""A bilingual grammar of English and German that makes text on demand.

lexicon (tables in `nouns`, `verbs`, `words`) -> `draw` a language-neutral `meaning` -> `english` and `german` say it -> `noise` spoils some lines
"""
