! Collectives of mpi_f08 completed in each way, for ovl offload; every number is checked. With MPI_4_1 in those of MPI 4.1, too.
! SPDX-License-Identifier: BSD-3-Clause
program f8
use mpi_f08
implicit none
integer :: r,n,i,it,m=1000,source
integer, allocatable, asynchronous :: s(:),q(:)
integer, asynchronous :: x,y
type(MPI_Request) :: rq(4)
type(MPI_Comm) :: c
type(MPI_Status) :: st,sts(4)
integer :: k,done(4)
logical :: flag
call MPI_Init()
source=MPI_STATUS_IGNORE%MPI_SOURCE
call MPI_Comm_dup_with_info(MPI_COMM_WORLD,MPI_INFO_NULL,c)
call MPI_Comm_free(c)
call MPI_Comm_size(MPI_COMM_WORLD,n)
call MPI_Cart_create(MPI_COMM_WORLD,1,[n],[.true.],.false.,c)
call MPI_Comm_rank(c,r)
call MPI_Comm_size(c,n)
allocate(s(n*m),q(n*m))
do it=1,50
 do i=1,n*m
  s(i)=r*100000+i+it
 end do
 x=r
 call MPI_Ialltoall(s,m,MPI_INTEGER,q,m,MPI_INTEGER,c,rq(1))
 call MPI_Iallreduce(x,y,1,MPI_INTEGER,MPI_SUM,c,rq(2))
 call MPI_Ibarrier(c,rq(3))
 flag=.false.
 if (mod(it,8)==4) then
  i=0
  do while (i<3)
   call MPI_Waitsome(3,rq,k,done,sts)
   if (k<1 .or. minval(done(1:k))<1 .or. maxval(done(1:k))>3) call MPI_Abort(MPI_COMM_WORLD,4)
   i=i+k
  end do
  call MPI_Waitsome(3,rq,k,done,MPI_STATUSES_IGNORE)
  if (k/=MPI_UNDEFINED) call MPI_Abort(MPI_COMM_WORLD,4)
 else if (mod(it,8)==7) then
  do i=1,3
   call MPI_Waitany(3,rq,k,st)
   if (k<1 .or. k>3) call MPI_Abort(MPI_COMM_WORLD,4)
  end do
  call MPI_Waitany(3,rq,k,MPI_STATUS_IGNORE)
  if (k/=MPI_UNDEFINED) call MPI_Abort(MPI_COMM_WORLD,4)
 else if (mod(it,4)==0) then
  call MPI_Waitall(3,rq,MPI_STATUSES_IGNORE)
 else if (mod(it,4)==1) then
  do while (.not. flag)
   call MPI_Testall(3,rq,flag,MPI_STATUSES_IGNORE)
  end do
 else if (mod(it,4)==2) then
#ifdef MPI_4_1
  k=0
  do while (k<3)
   call MPI_Request_get_status_some(3,rq,k,done,sts)
  end do
  if (any(done(1:3)/=[1,2,3])) call MPI_Abort(MPI_COMM_WORLD,4)
  call MPI_Request_get_status_all(3,rq,flag,MPI_STATUSES_IGNORE)
  if (.not. flag) call MPI_Abort(MPI_COMM_WORLD,4)
  call MPI_Request_get_status_any(3,rq,k,flag,MPI_STATUS_IGNORE)
  if (.not. flag .or. k/=1) call MPI_Abort(MPI_COMM_WORLD,4)
#endif
  flag=.false.
  do while (.not. flag)
   call MPI_Request_get_status(rq(1),flag,st)
  end do
  call MPI_Wait(rq(1),st); call MPI_Wait(rq(2),MPI_STATUS_IGNORE); call MPI_Wait(rq(3),MPI_STATUS_IGNORE)
 else
  call MPI_Wait(rq(3),MPI_STATUS_IGNORE); call MPI_Wait(rq(2),st); call MPI_Wait(rq(1),MPI_STATUS_IGNORE)
 end if
 do i=1,n*m
  if (q(i)/=((i-1)/m)*100000+r*m+mod(i-1,m)+1+it) then
   print *,'wrong',i,q(i); call MPI_Abort(MPI_COMM_WORLD,4)
  end if
 end do
 if (y/=n*(n-1)/2) call MPI_Abort(MPI_COMM_WORLD,4)
end do
! Persistent collectives, started and completed in each way, and the first of them alone by a call of its own.
call MPI_Alltoall_init(s,m,MPI_INTEGER,q,m,MPI_INTEGER,c,MPI_INFO_NULL,rq(1))
call MPI_Allreduce_init(x,y,1,MPI_INTEGER,MPI_SUM,c,MPI_INFO_NULL,rq(2))
call MPI_Barrier_init(c,MPI_INFO_NULL,rq(3))
do it=1,4
 call MPI_Start(rq(3))
 call MPI_Wait(rq(3),st)
end do
call MPI_Request_free(rq(3))
do it=1,48
 s=r+it
 x=r+it
 q=-1
 y=-1
 if (mod(it,2)==0) then
  call MPI_Startall(2,rq)
 else
  call MPI_Start(rq(1)); call MPI_Start(rq(2))
 end if
 flag=.false.
 i=0
 select case (mod(it,8))
 case (0)
  call MPI_Wait(rq(1),st); call MPI_Wait(rq(2),MPI_STATUS_IGNORE)
 case (1)
  call MPI_Waitall(2,rq,MPI_STATUSES_IGNORE)
 case (2)
  do k=1,2
   flag=.false.
   do while (.not. flag)
    call MPI_Test(rq(k),flag,st)
   end do
  end do
 case (3)
  do while (.not. flag)
   call MPI_Testall(2,rq,flag,sts)
  end do
 case (4)
  call MPI_Waitany(2,rq,k,st); call MPI_Waitany(2,rq,k,MPI_STATUS_IGNORE)
  if (k<1 .or. k>2) call MPI_Abort(MPI_COMM_WORLD,4)
 case (5)
  do while (i<2)
   call MPI_Testany(2,rq,k,flag,st)
   if (flag) i=i+1
   if (flag .and. (k<1 .or. k>2)) call MPI_Abort(MPI_COMM_WORLD,4)
  end do
 case (6)
  do while (i<2)
   call MPI_Waitsome(2,rq,k,done,sts)
   if (k<1 .or. minval(done(1:k))<1 .or. maxval(done(1:k))>2) call MPI_Abort(MPI_COMM_WORLD,4)
   i=i+k
  end do
 case default
#ifdef MPI_4_1
  do while (.not. flag)
   call MPI_Request_get_status_all(2,rq,flag,MPI_STATUSES_IGNORE)
  end do
#endif
  do while (i<2)
   call MPI_Testsome(2,rq,k,done,MPI_STATUSES_IGNORE)
   if (k>0) then
    if (minval(done(1:k))<1 .or. maxval(done(1:k))>2) call MPI_Abort(MPI_COMM_WORLD,4)
    i=i+k
   end if
  end do
 end select
 do i=1,n*m
  if (q(i)/=(i-1)/m+it) then
   print *,'wrong',i,q(i); call MPI_Abort(MPI_COMM_WORLD,4)
  end if
 end do
 if (y/=n*(n-1)/2+n*it) call MPI_Abort(MPI_COMM_WORLD,4)
end do
call MPI_Request_free(rq(1)); call MPI_Request_free(rq(2))
if (MPI_STATUS_IGNORE%MPI_SOURCE/=source) then
 print *,'a status was written that is not wanted'; call MPI_Abort(MPI_COMM_WORLD,4)
end if
if (r==0) print *,'fine'
call MPI_Finalize()
end
