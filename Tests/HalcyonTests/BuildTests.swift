import Testing

@Test("the module builds")
func moduleBuilds() {}
