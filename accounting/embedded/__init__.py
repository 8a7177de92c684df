"""The private server and the processes around it; standard library only."""
