package rules

var registrationNotOffered = login("registration-not-offered")
