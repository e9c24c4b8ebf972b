return accountOf(openAccount(arg.gas))
