announce(ARGV[2])
