"""A bilingual grammar of English and German that makes text on demand.

    nouns, verbs, words     the tables; `tables` reads them into the `lexicon`
    phrases, clauses        draw a `meaning`: participants, then clauses
    constructions, draw     then sentences: `simple`, `compound`, `figures` and `questions`
    english, german         say a meaning; `english_forms` and `german_forms` inflect
    noise                   spoils some of the lines
    news, news_topics       stories with key facts and highlights, in English

Nothing here knows of translation: another task draws other meanings and uses the rest as it is.
"""
