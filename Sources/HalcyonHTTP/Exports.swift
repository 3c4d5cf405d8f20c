// A request and a transfer have a priority, so that who imports this module can name one.
@_exported public import enum HalcyonConcurrency.LoadPriority
