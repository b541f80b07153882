"""Texts compared by words."""

from toolplanner_core.words.word_diff import changed_lines, text_after_change, word_diff


def test_word_diff_when_texts_differ_then_by_words() -> None:
    assert word_diff("the old text", "the new text") == "the [-old-] {+new+} text"
    assert word_diff("", "all new") == "{+all new+}"


def test_text_when_told_as_it_becomes_then_without_what_goes_and_without_marks() -> None:
    for before, after in (("the old text", "the new text"), ("a b", "b"), ("a", "a b"), ("", "x")):
        assert text_after_change(word_diff(before, after)) == after
    assert text_after_change("an array[-1] stays") == "an array[-1] stays"


def test_changed_lines_when_some_are_equal_then_only_the_others_are_given() -> None:
    lines = changed_lines("one\ntwo words\nthree\nfour", "one\n2 words\nthree")
    assert lines == ["[-two-] {+2+} words", "[-four-]"]
    assert changed_lines("same", "same") == []
