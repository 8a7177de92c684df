"""What can be wrong with the private server, told so that a person can mend it."""


class EmbeddedError(Exception):
    """The private server can't be used; the message says why and what would help."""


class DataFolderError(EmbeddedError):
    """The data folder can't be made, read or written."""


class BinariesError(EmbeddedError):
    """No usable PostgreSQL server binaries were found."""


class ServerError(EmbeddedError):
    """PostgreSQL did not start, did not answer or did not stop."""


class PortTakenError(EmbeddedError):
    """Another program listens where the web server should."""


class AlreadyRunningError(EmbeddedError):
    """`make run` already runs on this data folder."""
