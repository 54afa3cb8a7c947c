"""Errors for people: one sentence that says what is wrong and what to do about it."""


class Trouble(Exception):
    pass
