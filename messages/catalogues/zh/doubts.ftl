# doubts
