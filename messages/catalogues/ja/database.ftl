# database
