"""The books computed a second time: plain Python over raw files, without any code of the project.

Nothing below but the test modules may import accounting or ingest: two readings agree only by
accident if they share a bug.
"""
