from django.contrib.sessions.models import Session
from django.db import models


class Login(models.Model):
    """Which of our sessions came of which of the provider's, by its `sid`: what a back-channel logout ends."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True)
    sid = models.CharField(max_length=255, db_index=True)
