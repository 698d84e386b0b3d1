# verdict
