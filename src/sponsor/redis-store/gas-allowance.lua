local account = openAccount(ARGV[4])
return { text(account.held), text(account.settled), text(account.day) }
