from django.urls import path

from notes import views

urlpatterns = [
    path("", views.home, name="home"),
    path("notes/", views.notes, name="notes"),
    path("login/", views.log_in, name="log_in"),
    path("callback/", views.callback, name="callback"),
    path("logout/", views.log_out, name="log_out"),
    path("backchannel-logout/", views.backchannel_logout, name="backchannel_logout"),
]
