package intercept

func playOrphans(string) {}
