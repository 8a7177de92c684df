"""Real processes that die, real networks that break: what is promised stays, once, with sums that agree.

Which test shows which invariant. Beside those of this folder:

     1  what is answered 2xx is stored once          test_chaos; control: test_controls
     2  the web server killed at each point          test_points
     3  the worker killed at each point              test_points
     4  PostgreSQL killed or stopped at once         test_chaos (postgres, postgres_stops_at_once)
     5  one session of it killed                     test_chaos (postgres_session)
     6  broker never there, dead, hanging, forgetful test_brokers; control: without a clock, there
     7  every message three times                    test_brokers (two clocks)
     8  one batch ten times at once                  test_brokers (two clocks), ingest/test_push
     9  one key, another body                        ingest/test_push
    10  overlapping batches of many senders          test_chaos (miscounted), posting/test_parallel_posting
    11  lines = the sum of their outcomes            test_chaos (unconserved), a database constraint
    12  sums of rollups = sums of events             test_chaos; control: test_controls
    13  rollups rebuilt are the same                 posting/test_posting; beside readers: test_brokers
    14  no storm of deadlocks                        test_deadlocks and its control, posting/test_parallel_posting
    24  a part that kills its reader                 test_poison, ingest/test_inbox
    25  a reader that fails at everything            ingest/test_inbox (the circuit)
    26  a disk that is nearly full, or full          test_full_disk, ingest/test_room
    27  an upload that breaks off                    ingest/test_upload, test_points
    28  gzip that is cut off                         ingest/test_upload, ingest/test_push_refusals
    29  clocks of hosts that are minutes apart       test_clocks, where libfaketime is installed
    30  days of other zones                          failures/test_day_boundary
    31  no part read by two workers at once          test_brokers (two clocks: attempts), ingest/test_reading
    36  books saved and restored                     house/test_backup
    38  asked to end under load                      test_ending, failures/test_lost_events
    39  networks that delay, cut and stall           test_network
    40  a sender that is too fast                    ingest/test_room
    41  two organizations with the same ids          ingest/test_together
    42  an oracle of its own                         checking.hours_of: Decimals, from what clients sent

A worker that heard nothing any more after its broker had died is pinned in test_brokers.
"""
