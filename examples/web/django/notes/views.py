from authlib.integrations.base_client import OAuthError
from django.conf import settings
from django.contrib.auth import get_user_model, login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from joserfc.errors import JoseError

from notes.models import Login
from notes.provider import ended_session, logout_url, pando


@require_GET
def home(request):
    return render(request, "notes/home.html")


@require_GET
@login_required
@never_cache
def notes(request):
    return render(request, "notes/notes.html", {"claims": request.session["claims"]})


@require_GET
def log_in(request):
    """`next` is what somebody asked for; a page of ours, or it would lead people astray."""
    wanted = request.GET.get("next", "")
    request.session["next"] = wanted if url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else reverse("notes")
    return pando.authorize_redirect(request, settings.SITE + reverse("callback"))


@require_GET
def callback(request):
    """Authlib checks state, nonce, PKCE and the ID token. People are known by `sub`: addresses change hands."""
    try:
        token = pando.authorize_access_token(request)
    except OAuthError as refused:
        return render(request, "notes/refused.html", {"refused": refused}, status=400)
    told, claims = token["userinfo"], pando.userinfo(token=token)
    if claims["sub"] != told["sub"]:
        return HttpResponse("the answers are of two people", status=400, content_type="text/plain")
    user, _ = get_user_model().objects.update_or_create(username=claims["sub"], defaults={"email": claims.get("email", "")})
    wanted = request.session.pop("next", reverse("notes"))
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    request.session.update({"claims": dict(claims), "id_token": token["id_token"]})
    request.session.save()
    Login.objects.update_or_create(session_id=request.session.session_key, defaults={"sid": told["sid"]})
    return redirect(wanted)


@require_POST
def log_out(request):
    id_token = request.session.get("id_token")
    logout(request)
    return redirect(logout_url(id_token) if id_token else reverse("home"))


@csrf_exempt
@require_POST
def backchannel_logout(request):
    """Somebody logged out at the provider, or elsewhere: their sessions here end."""
    try:
        sid = ended_session(request.POST.get("logout_token", ""))
    except (JoseError, ValueError):
        return HttpResponse(status=400, headers={"Cache-Control": "no-store"})
    Session.objects.filter(login__sid=sid).delete()
    return HttpResponse(headers={"Cache-Control": "no-store"})
