"""Documents with summaries, from the formats they are published in.

    article             what every reader yields
    stories, anonymise  CNN/DailyMail: story files, with names or with entity markers
    reuters             Reuters-21578: body and title, and unlabelled bodies
    scitldr             abstracts and their one-sentence summaries
    gigaword            unlabelled news from a licensed copy

`seqpre.corpora.extract` writes them, one a line, and counts what is left out and why.
"""
